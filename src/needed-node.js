// @ts-check
// This file is JavaScript that every version of Node can run. Without this check, an old version would fail with an obscure syntax error.

const oldestNode = 26

/** The reason why this version of Node cannot run the service, in a sentence. Undefined if the version is new enough. */
export const nodeFault = () =>
  Number(process.versions.node.split('.')[0]) < oldestNode
    ? `Node ${oldestNode} or later is needed; this is ${process.versions.node}.`
    : undefined
