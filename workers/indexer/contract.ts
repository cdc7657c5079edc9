/** The indexer serves no operation. It consumes the stream behind the `sites` bucket, in order, and writes the index. */

/** One durable consumer an index: a new index has a new id, so it is filled from the start. */
export const indexerConsumer = (indexId: string): string => `index_${indexId}`;
/** The same stream once more, for what takes longer: sites are encoded after they are indexed. */
export const encodingConsumer = (indexId: string): string => `index_${indexId}_encoding`;
/** The changes of what hosts publish for agents, for the index of what can be done. */
export const toolConsumer = (indexId: string): string => `index_${indexId}_tools`;
