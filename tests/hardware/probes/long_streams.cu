// The mixed streams of h200-streams.txt, measured again: by the program that printed that file, four times; 16 times in one launch
// (the code has run before but in the first), with the warps begun together and, "skewed", apart; and, "long", with 1,024 and 2,048
// iterations. A pair is the cycles of 64 and of 128 iterations (1,024 and 2,048). h200-long-streams.tsv is made of these pairs.
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cuda_runtime.h>
extern __shared__ __align__(128) uint8_t sm[];
enum{PASSES=16};
__device__ __forceinline__ void late(int n){ uint32_t x=0; for(int i=0;i<n;i++) asm volatile("add.u32 %0,%0,1;":"+r"(x)); }
template<int L,int S> __global__ void __launch_bounds__(512) again(uint32_t*out,int warps,int ls,int ss,int reps,int passes,int skewed){
  int lane=threadIdx.x&31,w=threadIdx.x>>5; uint32_t b=(uint32_t)__cvta_generic_to_shared(sm); uint32_t r; bool on=w<warps;
  #pragma unroll 1
  for(int p=0;p<passes;p++){
  #pragma unroll
  for(int k=0;k<3;k++){ int R=k==2?2*reps:reps; __syncthreads(); uint32_t t0=clock(); if(on){ if(skewed) late((p*7+k*3+w*5)%8); for(int i=0;i<R;i++){ _Pragma("unroll") for(int u=0;u<L;u++) asm volatile("ld.volatile.shared.u32 %0,[%1];":"=r"(r):"r"(b+lane*ls*4)); _Pragma("unroll") for(int u=0;u<S;u++) asm volatile("st.volatile.shared.u32 [%0],%1;"::"r"(b+65536+lane*ss*4),"r"(u)); } } __syncthreads(); uint32_t t1=clock(); if(threadIdx.x==0&&k) out[2*p+k-1]=t1-t0; }
  }
}
// as h200-streams.txt was measured
template<int L,int S> __global__ void __launch_bounds__(512) mix(uint32_t*out,int warps,int ls,int ss,int reps){
  int lane=threadIdx.x&31,w=threadIdx.x>>5; uint32_t b=(uint32_t)__cvta_generic_to_shared(sm); uint32_t r; bool on=w<warps;
  for(int k=0;k<3;k++){ int R=k==2?2*reps:reps; __syncthreads(); uint32_t t0=clock(); if(on) for(int i=0;i<R;i++){ _Pragma("unroll") for(int u=0;u<L;u++) asm volatile("ld.volatile.shared.u32 %0,[%1];":"=r"(r):"r"(b+lane*ls*4)); _Pragma("unroll") for(int u=0;u<S;u++) asm volatile("st.volatile.shared.u32 [%0],%1;"::"r"(b+65536+lane*ss*4),"r"(u)); } __syncthreads(); uint32_t t1=clock(); if(threadIdx.x==0&&k) out[k-1]=t1-t0; }
}
static uint32_t*o,h[4096];
static void get(){ cudaError_t e=cudaMemcpy(h,o,sizeof h,cudaMemcpyDeviceToHost); if(e!=cudaSuccess){ printf("%s\n",cudaGetErrorString(e)); exit(1); } }
static void show(const char*n,int passes){ printf("%s",n); for(int p=0;p<passes;p++) printf(" %u,%u",h[2*p],h[2*p+1]); }
template<int L,int S> void one(int w,int ls,int ss){
  cudaFuncSetAttribute(again<L,S>,cudaFuncAttributeMaxDynamicSharedMemorySize,131072); cudaFuncSetAttribute(mix<L,S>,cudaFuncAttributeMaxDynamicSharedMemorySize,131072);
  printf("M %dld%dst warps %d ls %d ss %d",L,S,w,ls,ss);
  for(int i=0;i<4;i++){ mix<L,S><<<1,512,131072>>>(o,w,ls,ss,64); get(); show(i?"":" as:",1); }
  again<L,S><<<1,512,131072>>>(o,w,ls,ss,64,PASSES,0); get(); show(" again:",PASSES);
  again<L,S><<<1,512,131072>>>(o,w,ls,ss,64,PASSES,1); get(); show(" skewed:",PASSES);
  again<L,S><<<1,512,131072>>>(o,w,ls,ss,1024,3,0); get(); show(" long:",3); printf("\n");
}
int main(){ cudaMalloc(&o,65536);
  for(int w:{1,2,4,8,16}) for(int ls:{1,2,8,32}) for(int ss:{1,2,8,32}){ one<4,4>(w,ls,ss); one<6,2>(w,ls,ss); one<2,6>(w,ls,ss); }
  printf("%s\n",cudaGetErrorString(cudaGetLastError())); }
