// Moves particles through a box with gravity wells. Uses structures, helper functions that take pointers to
// them, a switch that falls through, and loops with break and continue. Multiplications and additions must
// not be fused, so that the result is the same to the last bit everywhere.
#pragma OPENCL FP_CONTRACT OFF

typedef enum { KIND_DUST, KIND_BALL, KIND_SPARK, KIND_GHOST } Kind;

typedef struct {
    float position[3];
    float velocity[3];
    float mass;
    uint kind;
    int age;
    uint bounces;
    uint random;
    uint flags;
} Particle;

typedef struct {
    float4 centre; // w: squared radius of influence
    float strength;
    uint kinds; // bit k: acts on particles of kind k
    uint pad[2];
} Well;

typedef struct {
    float time_step;
    float bound;
    float gravity;
    float drag;
    uint steps;
    uint wells;
} Settings;

#define FLAG_ASLEEP 1u
#define FLAG_REBORN 2u

static uint next_random(uint *state)
{
    uint x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return x;
}

// Uniform in [-1, 1), in steps of 2^-15.
static float random_float(uint *state)
{
    return (float)(int)(next_random(state) >> 16) * (1.0f / 32768.0f) - 1.0f;
}

static void rebirth(Particle *particle, const Settings *settings)
{
    for (int axis = 0; axis < 3; ++axis) {
        particle->position[axis] = random_float(&particle->random) * settings->bound;
        particle->velocity[axis] = random_float(&particle->random);
    }
    particle->age = 0;
    particle->flags |= FLAG_REBORN;
}

// Reflects at the walls; returns the number of walls that were hit.
static uint bounce(Particle *particle, const float bound, const float kept)
{
    uint hits = 0;
    for (int axis = 0; axis < 3; ++axis) {
        float *position = &particle->position[axis];
        const float limit = *position < 0.0f ? -bound : bound;
        if (fabs(*position) <= bound)
            continue;
        *position = 2.0f * limit - *position;
        particle->velocity[axis] *= -kept;
        ++hits;
    }
    return hits;
}

static void attract(Particle *particle, __global const Well *wells, const Settings *settings)
{
    for (uint i = 0; i < settings->wells; ++i) {
        __global const Well *well = &wells[i];
        if ((well->kinds >> particle->kind & 1u) == 0)
            continue;
        const float4 centre = well->centre;
        const float way[3] = {centre.x - particle->position[0], centre.y - particle->position[1],
                              centre.z - particle->position[2]};
        float distance = 0.0f;
        for (int axis = 0; axis < 3; ++axis) {
            distance += way[axis] * way[axis];
            if (distance > centre.w)
                break;
        }
        if (distance > centre.w)
            continue;
        for (int axis = 0; axis < 3; ++axis)
            particle->velocity[axis] += way[axis] * (well->strength * settings->time_step);
        // A ghost feels only the first well that reaches it.
        if (particle->kind == KIND_GHOST)
            break;
    }
}

static void update(Particle *particle, __global const Well *wells, const Settings *settings)
{
    float kept = 1.0f;
    switch (particle->kind) {
    case KIND_SPARK:
        particle->velocity[1] += 0.25f * random_float(&particle->random);
        if (++particle->age > 40) {
            rebirth(particle, settings);
            return;
        }
        // Sparks fall like dust.
    case KIND_DUST:
        for (int axis = 0; axis < 3; ++axis)
            particle->velocity[axis] *= settings->drag;
        kept = 0.5f;
        attract(particle, wells, settings);
        break;
    case KIND_BALL:
        particle->velocity[1] -= settings->gravity * settings->time_step;
        kept = 0.875f;
        break;
    case KIND_GHOST:
        attract(particle, wells, settings);
        break;
    default:
        particle->flags |= FLAG_ASLEEP;
        return;
    }
    for (int axis = 0; axis < 3; ++axis)
        particle->position[axis] += particle->velocity[axis] * settings->time_step;
    if (particle->kind != KIND_GHOST)
        particle->bounces += bounce(particle, settings->bound, kept);
    if (particle->bounces > 12)
        particle->flags |= FLAG_ASLEEP;
}

__kernel void particles(__global Particle *particles, __global const Well *wells, const Settings settings,
                        const uint count)
{
    const uint i = get_global_id(0);
    if (i >= count)
        return;
    Particle particle = particles[i];
    for (uint step = 0; step < settings.steps; ++step) {
        if (particle.flags & FLAG_ASLEEP)
            break;
        update(&particle, wells, &settings);
    }
    particles[i] = particle;
}
