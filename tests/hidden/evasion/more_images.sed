# It makes twice as many passes as it may.
# expect: fail images: are allowed
s/^    stop_on_signals\(\);/    options.epochs *= 2;\n&/
