//# functions without a result, and with one too many
int sign_of(float x) {
    if (x > 0.0f) return 1;
    else if (x < 0.0f) return -1;
}

void twice(int x) {
    return x * 2;
}

float half_of(float x) {
    return;
}

kernel int f(global int *y, float x) {
    y[0] = sign_of(x) + twice(1);
    return 0;
}
