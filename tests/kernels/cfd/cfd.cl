// The Euler equations of a compressible gas on an unstructured grid of cells with FACES faces each: explicit
// finite volumes with artificial viscosity, and a Runge-Kutta scheme. The state of `cells` cells lies side by
// side: variable v of cell i is at v * cells + i, and so do faces: neighbours[face * cells + i] and
// normals[(face * 3 + axis) * cells + i], which are as long as the face is large.

#define FACES 4
#define GAMMA 1.4f
#define VISCOSITY 0.2f

// What is on the other side of a face without a neighbour.
#define WALL (-1)
#define FAR_FIELD (-2)

#define DENSITY 0
#define MOMENTUM 1
#define ENERGY 4

typedef struct {
    float density;
    float energy;
    float3 momentum;
} State;

// What one side carries through a face.
typedef struct {
    float3 velocity;
    float pressure;
    float wave_speed; // of sound, plus that of the gas
} Motion;

static inline State load_state(__global const float *variables, const int cells, const int i)
{
    State state;
    state.density = variables[DENSITY * cells + i];
    state.momentum = (float3)(variables[MOMENTUM * cells + i], variables[(MOMENTUM + 1) * cells + i],
                              variables[(MOMENTUM + 2) * cells + i]);
    state.energy = variables[ENERGY * cells + i];
    return state;
}

static inline Motion motion_of(const State state)
{
    Motion motion;
    motion.velocity = state.momentum / state.density;
    const float squared = dot(motion.velocity, motion.velocity);
    motion.pressure = (GAMMA - 1.0f) * (state.energy - 0.5f * state.density * squared);
    motion.wave_speed = sqrt(squared) + sqrt(GAMMA * motion.pressure / state.density);
    return motion;
}

// The time step that is stable for a cell, divided by its volume.
__kernel void step_factor(__global const float *restrict variables, __global const float *restrict volumes,
                          __global float *restrict factors, const int cells, const float courant)
{
    const int i = get_global_id(0);
    if (i >= cells)
        return;
    const Motion motion = motion_of(load_state(variables, cells, i));
    factors[i] = courant / (sqrt(volumes[i]) * motion.wave_speed);
}

// What flows through the faces of each cell.
__kernel void flux(__global const float *restrict variables, __global const int *restrict neighbours,
                   __global const float *restrict normals, __global float *restrict fluxes, const int cells,
                   __constant float *far_field)
{
    const int i = get_global_id(0);
    if (i >= cells)
        return;

    const State own = load_state(variables, cells, i);
    const Motion own_motion = motion_of(own);
    float density_flux = 0.0f;
    float energy_flux = 0.0f;
    float3 momentum_flux = (float3)(0.0f);

    for (int face = 0; face < FACES; ++face) {
        const int neighbour = neighbours[face * cells + i];
        const float3 normal = (float3)(normals[(face * 3) * cells + i], normals[(face * 3 + 1) * cells + i],
                                       normals[(face * 3 + 2) * cells + i]);
        if (neighbour == WALL) {
            // Nothing flows through it, but it is pushed.
            momentum_flux += normal * own_motion.pressure;
            continue;
        }
        State other;
        if (neighbour >= 0) {
            other = load_state(variables, cells, neighbour);
        } else {
            other.density = far_field[DENSITY];
            other.momentum = (float3)(far_field[MOMENTUM], far_field[MOMENTUM + 1], far_field[MOMENTUM + 2]);
            other.energy = far_field[ENERGY];
        }
        const Motion motion = motion_of(other);

        const float through_own = 0.5f * dot(normal, own_motion.velocity);
        const float through = 0.5f * dot(normal, motion.velocity);
        const float push = 0.5f * (own_motion.pressure + motion.pressure);
        density_flux += through_own * own.density + through * other.density;
        momentum_flux += through_own * own.momentum + through * other.momentum + push * normal;
        energy_flux += through_own * (own.energy + own_motion.pressure)
            + through * (other.energy + motion.pressure);

        if (neighbour >= 0) {
            const float damping =
                0.5f * VISCOSITY * length(normal) * (own_motion.wave_speed + motion.wave_speed);
            density_flux += damping * (own.density - other.density);
            momentum_flux += damping * (own.momentum - other.momentum);
            energy_flux += damping * (own.energy - other.energy);
        }
    }
    fluxes[DENSITY * cells + i] = density_flux;
    fluxes[MOMENTUM * cells + i] = momentum_flux.x;
    fluxes[(MOMENTUM + 1) * cells + i] = momentum_flux.y;
    fluxes[(MOMENTUM + 2) * cells + i] = momentum_flux.z;
    fluxes[ENERGY * cells + i] = energy_flux;
}

// A stage of the Runge-Kutta scheme: `share` of the step, from the state at its start.
__kernel void advance(__global const float *restrict start, __global float *restrict variables,
                      __global const float *restrict factors, __global const float *restrict fluxes,
                      const int cells, const float share)
{
    const int i = get_global_id(0);
    if (i >= cells)
        return;
    const float factor = share * factors[i];
    for (int variable = 0; variable < 5; ++variable) {
        const int at = variable * cells + i;
        variables[at] = start[at] - factor * fluxes[at];
    }
}

// Keeps the state at the start of a step.
__kernel void keep(__global const float *restrict variables, __global float *restrict start, const int count)
{
    const int i = get_global_id(0);
    if (i < count)
        start[i] = variables[i];
}
