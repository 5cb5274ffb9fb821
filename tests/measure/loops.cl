// How often lines run, by hand: 64 work-items.

float square(float x)
{
    return x * x; // runs 352
}

kernel void loops(global float *out, global const float *in)
{
    int i = get_global_id(0); // runs 64
    float sum = 0; // runs 64
    // The head runs once more than the body.
    for (int j = 0; j < 5; j++) { // runs 384
        if (i % 2 == 0) // runs 320
            sum += square(in[j]); // runs 160
        else if (j == 3) // runs 160
            continue; // runs 32
        else
            sum += 2; // runs 128
        sum += 1; // runs 288
    }
    int k = i; // runs 64
    while (k > 60) // runs 70
        k--; // runs 6
    sum += square(3) + square(4); // runs 64
    if (i >= 32) // runs 64
        sum += square(5) + square(6); // runs 32
    // One work-item in eight leaves here.
    if (i % 8 == 7) // runs 64
        return; // runs 8
    switch (i % 4) { // runs 56
    case 0:
        out[i] = 1; // runs 16
        // falls through
    case 1:
        out[i] = sum; // runs 32
        break;
    default:
        out[i] = 7; // runs 24
    }
}
