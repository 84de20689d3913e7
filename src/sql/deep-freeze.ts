/** Freezes a value deeply, so that it can be shared. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  for (const part of Object.values(value)) deepFreeze(part)
  return Object.freeze(value)
}
