// Loads by two warps of one scheduler, one of which begins some adds later than the other ("skew"), and loads of which one in eight is
// longer ("one long"): prints what h200-late-starts.tsv and h200-mixed-lengths.tsv are made of. With REC 1 the kernel also keeps
// the clock before each iteration without memory traffic, lane i that of sample i; "two" shows how one warp gets ahead.
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
extern __shared__ __align__(128) uint8_t sm[];
struct P{ int p[8]; int rot; int skew[16]; };
template<int L,int S,int D> __device__ __forceinline__ void acc(int u,const uint32_t*a,uint32_t&r,uint32_t x){
  if(u<L) asm volatile("ld.volatile.shared.u32 %0,[%1];":"=r"(r):"r"(a[u]));
  else if(D==0) asm volatile("st.volatile.shared.u32 [%0],%1;"::"r"(a[u]),"r"(u-L));       // first of them writes RZ
  else if(D==1) asm volatile("st.volatile.shared.u32 [%0],%1;"::"r"(a[u]),"r"(0));         // all RZ
  else asm volatile("st.volatile.shared.u32 [%0],%1;"::"r"(a[u]),"r"(x));                  // all of a register
}
// REC 0: none. 1: clock before each iteration, bodies 0..7. 2: clock before each access of body TB.
template<int L,int S,int D,int REC> __global__ void __launch_bounds__(512) mix(uint32_t*out,uint32_t mask,P q,int reps,int tb){
  constexpr int N=L+S;
  int lane=threadIdx.x&31,w=threadIdx.x>>5; uint32_t b=(uint32_t)__cvta_generic_to_shared(sm); uint32_t r=0; bool on=mask>>w&1; uint32_t a[N],x=lane*3+1;
  uint32_t t[4]={0,0,0,0},tend=0,c=0;
  #pragma unroll
  for(int u=0;u<N;u++){ int p=q.p[(u+w*q.rot)&7]; a[u]=b+(u>=L?65536:0)+((lane%p)*32+lane/p)*4; }
  int sk=q.skew[w];
  #pragma unroll 1
  for(int k=0;k<3;k++){ int R=k==0?reps:k==1?reps:3*reps; __syncthreads(); __syncthreads(); uint32_t t0=clock();
    if(on){
      for(int i=0;i<sk;i++) asm volatile("add.u32 %0,%0,1;":"+r"(x));
      #pragma unroll 1
      for(int i=0;i<R;i+=16){
        int rel=(i>>4)-tb; int key= REC==1? lane-(rel&1)*16 : (rel==0?lane:99);
        #pragma unroll
        for(int j=0;j<16;j++){
          if(REC==1) asm volatile("{.reg .pred p; setp.eq.s32 p,%1,%2; @p mov.u32 %0,%%clock;}":"+r"(c):"r"(key),"r"(j));
          #pragma unroll
          for(int u=0;u<N;u++){
            if(REC==2) asm volatile("{.reg .pred p; setp.eq.s32 p,%1,%2; @p mov.u32 %0,%%clock;}":"+r"(t[(j*N+u)>>5]):"r"(key),"r"((j*N+u)&31));
            acc<L,S,D>(u,a,r,x); } 
        }
        if(REC==1){ if(rel==1) t[0]=c; if(rel==3) t[1]=c; if(rel==5) t[2]=c; if(rel==7) t[3]=c; }
      }
      asm volatile("{.reg .pred p; setp.eq.u32 p,%1,%1; @p mov.u32 %0,%%clock;}":"+r"(tend):"r"(lane));
      asm volatile("ld.volatile.shared.u32 %0,[%1];":"=r"(r):"r"(b)); if(r==0x1234567) out[7]=r; }
    __syncthreads(); __syncthreads(); uint32_t t1=clock(); if(threadIdx.x==0&&k) out[k-1]=t1-t0;
    if(k==2&&on){ out[64+w*160+lane]=t[0]-t0; out[64+w*160+32+lane]=t[1]-t0; out[64+w*160+64+lane]=t[2]-t0; out[64+w*160+96+lane]=t[3]-t0; if(lane==0) out[64+w*160+128]=tend-t0; out[8]=x; }
  }
}

static uint32_t*o; static uint32_t h[64+16*160];
template<int L,int S,int D,int REC> void go(const char*n,uint32_t m,P q,int tb,int print){
  cudaFuncSetAttribute(mix<L,S,D,REC>,cudaFuncAttributeMaxDynamicSharedMemorySize,131072); cudaMemset(o,0,sizeof h);
  mix<L,S,D,REC><<<1,512,131072>>>(o,m,q,64,tb); cudaError_t e=cudaMemcpy(h,o,sizeof h,cudaMemcpyDeviceToHost); if(e!=cudaSuccess){ printf("%s %s\n",n,cudaGetErrorString(e)); exit(1); }
  printf("T %s L%dS%d D%d REC%d mask %x rot %d p",n,L,S,D,REC,m,q.rot); for(int i=0;i<8;i++) printf(" %d",q.p[i]); printf(" skew"); for(int i=0;i<16;i++) printf(" %d",q.skew[i]);
  printf(" tb %d cycles_64 %u cycles_192 %u per_iter %.3f ends",tb,h[0],h[1],(h[1]-h[0])/128.0); for(int w=0;w<16;w++) if(m>>w&1) printf(" %u",h[64+w*160+128]); printf("\n");
  if(print&&REC) for(int w=0;w<16;w++) if(m>>w&1){ printf("S w%d",w); for(int i=0;i<128;i++) printf(" %u",h[64+w*160+i]); printf("\n"); }
}
static P lst(int a,int b,int rot){ P q={{a,b,b,b,b,b,b,b},rot,{0}}; return q; }
static P mk(int ls,int ss,int L,int rot=0){ P q; memset(&q,0,sizeof q); for(int i=0;i<8;i++) q.p[i]=i<L?ls:ss; q.rot=rot; return q; }
int main(){ cudaMalloc(&o,sizeof h);
  for(int p:{4,5,6,8,16,32}) for(int sk:{0,1,2,4,8,12,16,32,64,128}) for(int who:{0,4}){ P q=mk(p,1,8); q.skew[who]=sk; go<8,0,0,0>("skew",0x11,q,0,0); }
  for(uint32_t m:{1u,3u,7u}) for(int p:{4,8,16,32}) for(int s:{1,2}) for(int rot:{0,1,4}) go<8,0,0,0>("one long",m,lst(p,s,rot),0,0);
  for(int p:{4,5,6,8,32}) go<8,0,0,1>("two",0x11,mk(p,1,8),0,1);
  printf("%s\n",cudaGetErrorString(cudaGetLastError()));
}
