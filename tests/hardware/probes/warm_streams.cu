// Streams of loads and stores by chosen warps, measured so that one effect shows at a time: the code has run before, no access
// is on its way at either end, and all warps are waited for. Prints what h200-warm-streams.tsv is made of, but for the second part.
#include <cstdio>
#include <cstdint>
#include <cuda_runtime.h>
extern __shared__ __align__(128) uint8_t sm[];
template<int L,int S> __global__ void __launch_bounds__(512) mix(uint32_t*out,uint32_t mask,int ls,int ss,int reps){
  int lane=threadIdx.x&31,w=threadIdx.x>>5; uint32_t b=(uint32_t)__cvta_generic_to_shared(sm); uint32_t r=0; bool on=mask>>w&1; uint32_t la=b+lane*ls*4,sa=b+65536+lane*ss*4;
  #pragma unroll 1
  for(int k=0;k<6;k++){ int R=k%2?3*reps:reps; __syncthreads(); __syncthreads(); uint32_t t0=clock();
    if(on){
      #pragma unroll 16
      for(int i=0;i<R;i++){
        #pragma unroll
        for(int u=0;u<L;u++) asm volatile("ld.volatile.shared.u32 %0,[%1];":"=r"(r):"r"(la));
        #pragma unroll
        for(int u=0;u<S;u++) asm volatile("st.volatile.shared.u32 [%0],%1;"::"r"(sa),"r"(u)); }
      asm volatile("ld.volatile.shared.u32 %0,[%1];":"=r"(r):"r"(b)); if(r==0x1234567) out[7]=r; }
    __syncthreads(); __syncthreads(); uint32_t t1=clock(); if(threadIdx.x==0) out[k&1]=t1-t0; }
}
template<int L,int S> void go(const char*n,uint32_t*o,uint32_t m,int ls,int ss){ uint32_t h[2]; cudaFuncSetAttribute(mix<L,S>,cudaFuncAttributeMaxDynamicSharedMemorySize,131072);
  mix<L,S><<<1,512,131072>>>(o,m,ls,ss,64); cudaMemcpy(h,o,8,cudaMemcpyDeviceToHost); printf("%s mask %x ls %d ss %d cycles_64 %u cycles_192 %u cycles_per_iter_warp %.3f\n",n,m,ls,ss,h[0],h[1],(h[1]-h[0])/(128.0*__builtin_popcount(m))); }
int main(){ uint32_t*o; cudaMalloc(&o,64);
  uint32_t masks[]={1,2,4,8,3,5,9,6,10,12,7,11,13,14,15,0x11,0x33,0x55,0x0f0f,0xffff,0x1111,0x3333,0x5555,0x9999};
  for(uint32_t m:masks) for(int s:{1,2,4,8,32}) go<8,0>("clean 8ld0st",o,m,s,1);
  for(uint32_t m:masks) for(int s:{1,2,4,8,32}) go<0,8>("clean 0ld8st",o,m,1,s);
  for(uint32_t m:{1,3,7,0xf,0xff,0xffff,0x11}) for(int ls:{1,2,8,32}) for(int ss:{1,2,8,32}){ go<4,4>("clean 4ld4st",o,m,ls,ss); go<6,2>("clean 6ld2st",o,m,ls,ss); go<2,6>("clean 2ld6st",o,m,ls,ss); go<1,3>("clean 1ld3st",o,m,ls,ss); go<3,1>("clean 3ld1st",o,m,ls,ss); go<7,1>("clean 7ld1st",o,m,ls,ss); }
  printf("%s\n",cudaGetErrorString(cudaGetLastError())); }
