# shellcheck shell=bash
# _small_data.sh: small_data FOLDER TRAIN TEST: files of CIFAR-10's format in FOLDER, with TRAIN (a
# multiple of 5) and TEST images, for --data cifar10 --data-dir FOLDER. Drawing the 24,000 images of
# --data synthetic takes a second of every rank. The same files each time: an image is put together
# from 16 of 256 random pieces, of which as many are dark as its label says, so that a network
# learns it; but a seventh of the labels is wrong.
small_data() {
    local folder=$1/cifar-10-batches-bin
    mkdir -p "$folder"
    LC_ALL=C awk -v train="$2" -v test="$3" -v folder="$folder" '
        function draw(n) { r = r * 16807 % 2147483647; return r % n }
        BEGIN {
            r = 1
            for (p = 0; p < 256; p++)
                for (i = 0; i < 192; i++) piece[p] = piece[p] sprintf("%c", 1 + draw(127))
            for (i = 0; i < 192; i++) dark = dark sprintf("%c", 1)
            for (image = 0; image < train + test; image++) {
                file = folder "/" (image < train ? "data_batch_" 1 + int(5 * image / train) \
                                                 : "test_batch") ".bin"
                label = 1 + image % 9
                printf "%c", image % 7 == 3 ? 1 + draw(9) : label >file
                for (p = 0; p < 16; p++) printf "%s", p < label ? dark : piece[draw(256)] >file
            }
        }'
}
