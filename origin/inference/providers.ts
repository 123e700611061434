/** The execution providers a node can be asked to use, and the model that each runs by default. */

/** In the order in which onnxruntime-node names them. */
export const providerNames = ['tensorrt', 'cuda', 'webgpu', 'cpu'] as const;
export type ProviderName = (typeof providerNames)[number];

/** fp16 is what GPUs are fast at; fp16 graphs fail on some WebGPU drivers; a CPU is fastest with int8. */
export const defaultModel: Record<ProviderName, string> = {
  tensorrt: 'isnet-fp16',
  cuda: 'isnet-fp16',
  webgpu: 'isnet-fp32',
  cpu: 'isnet-int8',
};
