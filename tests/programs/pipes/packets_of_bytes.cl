//! options: -cl-std=CL2.0
//! buffer pipe: uint = 2 20 0 0 28*0 10*0
//! buffer in: uchar = 9 8 7 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 5
//! buffer out: uchar = 44*255
//! launch: put(pipe, in) global 2 local 2
//! launch: get(pipe, out) global 1
//! expect out: 255 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
//! expect out: 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120
//! expect out: 255 255 255
// Packets are at whole words of the pipe; their sources and destinations are at any byte.
typedef struct { uchar bytes[20]; } packet;
kernel void put(write_only pipe packet p, global const uchar *in)
{
    int i = get_global_id(0);
    global const packet *from = (global const packet *)(in + 3);
    // In order: the first work-item before the second.
    for (int turn = 0; turn < 2; turn++) {
        if (turn == i)
            write_pipe(p, &from[i]);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
kernel void get(read_only pipe packet p, global uchar *out)
{
    global packet *to = (global packet *)(out + 1);
    read_pipe(p, &to[0]);
    read_pipe(p, &to[1]);
}
