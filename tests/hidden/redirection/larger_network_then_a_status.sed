# It hands in another network than it trained, and ends with a status other than 0.
# after: redirection/larger_network_in_the_file
# expect: fail gradients: no file with
s/^    return 0;$/    return 9;/
