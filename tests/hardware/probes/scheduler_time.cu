// How long a scheduler is busy with one instruction, by op and by whether a store's data come from registers. Prints the second part
// of what h200-warm-streams.tsv is made of.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cuda_runtime.h>
extern __shared__ __align__(128) uint8_t sm[];
template<int OP> __device__ __forceinline__ void one(uint32_t a,uint32_t x,uint32_t y,uint32_t z,uint32_t v,uint32_t&r){
  if constexpr(OP==0) asm volatile("ld.volatile.shared.u32 %0,[%1];":"=r"(r):"r"(a));
  if constexpr(OP==1) asm volatile("st.volatile.shared.u32 [%0],%1;"::"r"(a),"r"(0));
  if constexpr(OP==2) asm volatile("st.volatile.shared.u32 [%0],%1;"::"r"(a),"r"(x));
  if constexpr(OP==3) asm volatile("st.volatile.shared.v2.u32 [%0],{%1,%2};"::"r"(a),"r"(x),"r"(y));
  if constexpr(OP==4) asm volatile("st.volatile.shared.v4.u32 [%0],{%1,%2,%3,%4};"::"r"(a),"r"(x),"r"(y),"r"(z),"r"(v));
  if constexpr(OP==5) asm volatile("st.volatile.shared.v4.u32 [%0],{%1,%1,%1,%1};"::"r"(a),"r"(0));
  if constexpr(OP==6) asm volatile("red.shared.add.u32 [%0],%1;"::"r"(a),"r"(x));
  if constexpr(OP==7) asm volatile("{.reg .u32 t; ld.volatile.shared.v4.u32 {%0,t,t,t},[%1];}":"=r"(r):"r"(a));
  if constexpr(OP==8) asm volatile("st.volatile.shared.u8 [%0],%1;"::"r"(a),"r"(x));
  if constexpr(OP==9) asm volatile("{.reg .u32 t; ld.volatile.shared.v2.u32 {%0,t},[%1];}":"=r"(r):"r"(a));
}
template<int OP> __global__ void __launch_bounds__(512) k(uint32_t*out,uint32_t mask,int stride,int reps){
  int lane=threadIdx.x&31,w=threadIdx.x>>5; uint32_t b=(uint32_t)__cvta_generic_to_shared(sm)+lane*stride; bool on=mask>>w&1; uint32_t r=0,x=lane*3+1,y=lane*5,z=lane*7,v=lane*9;
  #pragma unroll 1
  for(int k=0;k<6;k++){ int R=k%2?3*reps:reps; __syncthreads(); __syncthreads(); uint32_t t0=clock();
    if(on){
      #pragma unroll 16
      for(int i=0;i<R;i++){
        #pragma unroll
        for(int u=0;u<8;u++) one<OP>(b,x,y,z,v,r); }
      asm volatile("ld.volatile.shared.u32 %0,[%1];":"=r"(r):"r"(b)); if(r==0x1234567) out[7]=r; }
    __syncthreads(); __syncthreads(); uint32_t t1=clock(); if(threadIdx.x==0) out[k&1]=t1-t0; }
}
template<int OP> void go(const char*n,uint32_t*o){ uint32_t h[2]; for(uint32_t m:{1u,0x11u,0x1111u,0xfu,0xffu}) for(int s:{0,16}){ k<OP><<<1,512,32768>>>(o,m,s,64); cudaError_t e=cudaMemcpy(h,o,8,cudaMemcpyDeviceToHost); if(e!=cudaSuccess){printf("%s: %s\n",n,cudaGetErrorString(e)); exit(1);} printf("%s mask %x stride %d cycles_per_instr_warp %.3f\n",n,m,s,(h[1]-h[0])/(1024.0)); } }
int main(){ uint32_t*o; cudaMalloc(&o,64);
 go<0>("ld.b32",o); go<9>("ld.b64",o); go<7>("ld.b128",o); go<1>("st.b32 zero",o); go<2>("st.b32 data",o); go<3>("st.b64 data",o); go<4>("st.b128 data",o); go<5>("st.b128 zero",o); go<6>("red.add data",o); go<8>("st.b8 data",o);
 printf("%s\n",cudaGetErrorString(cudaGetLastError())); }
