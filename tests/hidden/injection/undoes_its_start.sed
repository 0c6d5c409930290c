# It removes the sign that it was started, and trains as it should.
# expect: full
s/^    finish\(&t\);/&\n    unlink("\/submission\/hand\/.started");/
s/^#include <stdlib.h>/&\n#include <unistd.h>/
