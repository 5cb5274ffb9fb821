// Bodies that attract each other. A work-group loads a tile of them into
// local memory, and each of its work-items adds up what the tile does to
// its own body.
#define TILE 64

kernel __attribute__((reqd_work_group_size(TILE, 1, 1)))
void nbody(global const float4 *bodies, global float4 *moved,
           global float4 *speeds, int count, float step)
{
    local float4 tile[TILE];
    int own = get_global_id(0), lane = get_local_id(0);
    float4 body = bodies[own];
    float3 pull = 0.0f;

    for (int first = 0; first < count; first += TILE) {
        tile[lane] = bodies[first + lane];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int other = 0; other < TILE; ++other) {
            float3 way = tile[other].xyz - body.xyz;
            float near = rsqrt(dot(way, way) + 0.002f);
            pull += way * (tile[other].w * near * near * near);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    float4 speed = speeds[own];
    speed.xyz += pull * step;
    body.xyz += speed.xyz * step;
    speeds[own] = speed;
    moved[own] = body;
}

// A disc of bodies that turns around its middle, made for the first frame.
kernel void start(global float4 *bodies, global float4 *speeds, int frame)
{
    int own = get_global_id(0);
    if (frame > 0)
        return;
    uint bits = own * 747796405u + 2891336453u;
    bits = (bits >> 15 ^ bits) * 2246822519u;
    float angle = (bits & 0xffff) * (2.0f * M_PI_F / 65536.0f);
    float radius = 0.08f + 0.55f * sqrt((bits >> 16) / 65536.0f);
    float pace = 0.75f * sqrt(radius);
    float2 way = (float2)(cos(angle), sin(angle));
    float height = 0.02f * sin(3.0f * angle);
    bodies[own] = (float4)(radius * way, height, 1.0f / 2048);
    speeds[own] = (float4)(-pace * way.y, pace * way.x, 0.0f, 0.0f);
}
