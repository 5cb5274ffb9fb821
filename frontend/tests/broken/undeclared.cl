//# names that are not declared, or not any longer
kernel void histogram(global const uchar *image, global int *bins, int n) {
    size_t i = get_global_id(0);
    if (i < n) {
        int bin = image[i] / BIN_SIZE;
        atomic_inc(&bins[bin]);
    }
    bins[0] = bin;
    result[i] = 1;
    normalize_bins(bins, n);
}
