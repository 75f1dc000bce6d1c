// The time of issue of each of 48 accesses of each warp, for any patterns (a record is op, warps, dep, rotate, a mask of the warps that run, and 8 x 32 addresses).
// h200-bursts.tsv has, of 48 loads with 32 passes each, the time from the last issue to the last result.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e=(x); if(e!=cudaSuccess){fprintf(stderr,"%s:%d %s\n",__FILE__,__LINE__,cudaGetErrorString(e));exit(1);} }while(0)
struct Rec{ uint8_t op,W,dep,rot; uint32_t mask; uint32_t addr[8][32]; };
extern __shared__ __align__(128) uint8_t sm[];
enum{N=48};
template<int OP,int DEP> __device__ __forceinline__ uint32_t one(uint32_t a,uint32_t d){
  uint32_t r0=0,r1=0,r2=0,r3=0; if(DEP) a+=d;
  if constexpr(OP==0) asm volatile("ld.volatile.shared.u32 %0,[%1];":"=r"(r0):"r"(a));
  if constexpr(OP==1) asm volatile("ld.volatile.shared.v2.u32 {%0,%1},[%2];":"=r"(r0),"=r"(r1):"r"(a));
  if constexpr(OP==2) asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3},[%4];":"=r"(r0),"=r"(r1),"=r"(r2),"=r"(r3):"r"(a));
  if constexpr(OP==3) asm volatile("st.volatile.shared.u32 [%0],%1;"::"r"(a),"r"(0));
  if constexpr(OP==4) asm volatile("st.volatile.shared.v4.u32 [%0],{%1,%1,%1,%1};"::"r"(a),"r"(0));
  if constexpr(OP==5) asm volatile("atom.shared.add.u32 %0,[%1],%2;":"=r"(r0):"r"(a),"r"(0));
  return r3+r0;
}
template<int OP,int DEP> __device__ __noinline__ void timed(const uint32_t*aa,bool act,uint32_t*out){
  uint32_t a[8]; uint32_t t[N+2]; uint32_t lane=threadIdx.x&31; 
  #pragma unroll
  for(int u=0;u<8;u++) a[u]=aa[u];
  #pragma unroll
  for(int u=0;u<N+2;u++) t[u]=0;
  uint32_t d=0,acc=0;
  __syncthreads();
  if(act){
    asm volatile("{.reg .pred p; setp.eq.u32 p,%1,0; @p mov.u32 %0,%%clock;}":"+r"(t[0]):"r"(lane));
    #pragma unroll
    for(int i=0;i<N;i++){ uint32_t r=one<OP,DEP>(a[i&7],d); if(DEP) d=r; else if(i==N-1) acc=r;
      asm volatile("{.reg .pred p; setp.eq.u32 p,%1,0; @p mov.u32 %0,%%clock;}":"+r"(t[i+1]):"r"(lane)); }
    if(DEP||OP<3) asm volatile("{.reg .pred p; setp.eq.u32 p,%1,0; @p mov.u32 %0,%%clock;}":"+r"(t[N+1]):"r"(lane+((DEP?d:acc)&0x100)));
  }
  __syncwarp(); __syncthreads();
  if((threadIdx.x&31)==0) for(int u=0;u<N+2;u++) out[u]=(uint32_t)t[u]+(d+acc+a[u&7]==0x1234567);
}
template<int OP,int DEP> __device__ void go(const Rec&p,uint32_t*out,uint32_t base){
  int lane=threadIdx.x&31,w=threadIdx.x>>5; uint32_t a[8];
  for(int u=0;u<8;u++) a[u]=base+p.addr[(u+w*p.rot)&7][lane];
  bool act=(p.mask>>w)&1;
  for(int k=0;k<3;k++) timed<OP,DEP>(a,act,out+w*(N+2));
}
__global__ void __launch_bounds__(512) k(const Rec*r,uint32_t*res,int n){
  uint32_t base=(uint32_t)__cvta_generic_to_shared(sm);
  for(int i=threadIdx.x;i<196608/4;i+=blockDim.x) ((uint32_t*)sm)[i]=0;
  __syncthreads();
  for(int i=blockIdx.x;i<n;i+=gridDim.x){ const Rec&p=r[i]; uint32_t*out=res+i*16*(N+2);
    switch(p.op*2+p.dep){
#define C(o) case 2*o: go<o,0>(p,out,base); break; case 2*o+1: go<o,1>(p,out,base); break;
    C(0)C(1)C(2)C(3)C(4)C(5) }
    __syncthreads(); }
}
int main(int argc,char**argv){
  FILE*f=fopen(argv[1],"rb"); fseek(f,0,SEEK_END); long sz=ftell(f); rewind(f); int n=sz/sizeof(Rec); std::vector<Rec> h(n);
  if(fread(h.data(),sizeof(Rec),n,f)!=(size_t)n) return 2; fclose(f);
  Rec*d; uint32_t*r; size_t bytes=(size_t)n*16*(N+2)*4; CK(cudaMalloc(&d,n*sizeof(Rec))); CK(cudaMalloc(&r,bytes)); CK(cudaMemcpy(d,h.data(),n*sizeof(Rec),cudaMemcpyHostToDevice));
  CK(cudaFuncSetAttribute(k,cudaFuncAttributeMaxDynamicSharedMemorySize,196608));
  k<<<132,512,196608>>>(d,r,n); CK(cudaGetLastError()); CK(cudaDeviceSynchronize());
  std::vector<uint32_t> o(bytes/4); CK(cudaMemcpy(o.data(),r,bytes,cudaMemcpyDeviceToHost)); f=fopen(argv[2],"wb"); fwrite(o.data(),1,bytes,f); fclose(f);
  fprintf(stderr,"%d timelines\n",n);
}
