// One training step of a network with a layer of `inputs`, HIDDEN hidden units and one output. weights[i][h]
// leads from input i to the hidden unit h. A work-group owns the weights of ROWS inputs.

#define HIDDEN 16
#define ROWS 16

static inline float sigmoid(const float x)
{
    return 1.0f / (1.0f + exp(-x));
}

// The hidden units' sums over the inputs of each work-group: partial[group][h].
__kernel __attribute__((reqd_work_group_size(HIDDEN, ROWS, 1)))
void forward(__global const float *restrict inputs, __global const float *restrict weights,
             __global float *restrict partial)
{
    __local float input[ROWS];
    __local float products[ROWS][HIDDEN];

    const uint h = get_local_id(0);
    const uint row = get_local_id(1);
    const uint first = get_group_id(0) * ROWS;

    if (h == 0)
        input[row] = inputs[first + row];
    barrier(CLK_LOCAL_MEM_FENCE);
    products[row][h] = weights[(first + row) * HIDDEN + h] * input[row];
    for (uint distance = ROWS / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (row < distance)
            products[row][h] += products[row + distance][h];
    }
    if (row == 0)
        partial[get_group_id(0) * HIDDEN + h] = products[0][h];
}

// Adds up `count` rows of partial sums; each work-group leaves one row.
__kernel __attribute__((reqd_work_group_size(HIDDEN, ROWS, 1)))
void gather(__global const float *restrict partial, const uint count, __global float *restrict sums)
{
    __local float folded[ROWS][HIDDEN];

    const uint h = get_local_id(0);
    const uint row = get_local_id(1);

    float sum = 0.0f;
    for (uint i = get_group_id(0) * ROWS + row; i < count; i += get_num_groups(0) * ROWS)
        sum += partial[i * HIDDEN + h];
    folded[row][h] = sum;
    for (uint distance = ROWS / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (row < distance)
            folded[row][h] += folded[row + distance][h];
    }
    if (row == 0)
        sums[get_group_id(0) * HIDDEN + h] = folded[0][h];
}

// The output for the hidden units' sums, and how the error depends on each hidden unit: deltas[h]. One
// work-group; `state` receives the output and its error.
__kernel __attribute__((reqd_work_group_size(HIDDEN, 1, 1)))
void output_layer(__global const float *restrict sums, __global float *restrict output_weights,
                  const float target, const float rate, __global float *restrict deltas,
                  __global float *restrict state)
{
    __local float products[HIDDEN];

    const uint h = get_local_id(0);
    const float hidden = sigmoid(sums[h]);
    const float weight = output_weights[h];
    products[h] = hidden * weight;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (uint i = 0; i < HIDDEN; ++i)
        sum += products[i];
    const float output = sigmoid(sum);
    const float error = output * (1.0f - output) * (target - output);

    deltas[h] = hidden * (1.0f - hidden) * error * weight;
    output_weights[h] = weight + rate * error * hidden;
    if (h == 0) {
        state[0] = output;
        state[1] = error;
    }
}

// Moves each weight against the error, with momentum: changes[i][h] is the previous change.
__kernel __attribute__((reqd_work_group_size(HIDDEN, ROWS, 1)))
void adjust(__global const float *restrict inputs, __global const float *restrict deltas,
            __global float *restrict weights, __global float *restrict changes, const float rate,
            const float momentum)
{
    const uint h = get_local_id(0);
    const uint row = get_group_id(0) * ROWS + get_local_id(1);
    const uint i = row * HIDDEN + h;
    const float change = rate * deltas[h] * inputs[row] + momentum * changes[i];
    weights[i] += change;
    changes[i] = change;
}
