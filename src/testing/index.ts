/** `keepsake/testing`: for who writes a store of their own. The contract it must keep, and the reference to compare with. */
export { type MemoryStoreOptions, memoryStore } from '../stores/memory.ts'
export type { ContractCase, OpenOptions, StoreHarness } from './harness.ts'
export { type RandomBatch, randomOperations } from './random-operations.ts'
export { equalState, type StateEqualityOptions, stateDifference } from './state-equality.ts'
export { type ContractOptions, storeContract } from './store-contract.ts'
