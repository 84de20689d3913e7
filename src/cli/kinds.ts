import { resources } from '#resources/index.ts'
import type { Resource } from '#resources/resource.ts'
import { UsageError } from './exit.ts'

/** What can be imported and exported, in words. */
export const kinds = resources.map(({ plural }) => plural).join(' or ')

/** The resource with this plural name. */
export const resourceNamed = (name: string): Resource => {
  const found = resources.find(({ plural }) => plural === name)
  if (found) return found
  throw new UsageError(`There are no ${name}: say ${kinds}.`)
}
