// @ts-check
// In JavaScript that every Node reads: what an older one imports before this is said fails with words that nobody understands.

const oldestNode = 26

/** Why this Node cannot run the service, in a sentence; undefined if it can. */
export const nodeFault = () =>
  Number(process.versions.node.split('.')[0]) < oldestNode
    ? `Node ${oldestNode} or later is needed; this is ${process.versions.node}.`
    : undefined
