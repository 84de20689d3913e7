import { asking } from './caches/ask.ts'
import { administrator, type Checks, closedChecks, openChecks } from './caches/checks.ts'
import { plants } from './caches/plants.ts'
import { type Store, stores } from './caches/stores.ts'
import { openTap, type Plant } from './caches/tap.ts'
import type { Finding } from './lints.ts'
import { withService } from './service.ts'

/** Third-party caches in front of the service: what they serve must be right, and planted mistakes must show. */
export const caches = async (): Promise<readonly Finding[]> => {
  const findings: Finding[] = []
  for (const store of stores) findings.push(...(await judged(store)))
  const keepers = stores.filter(({ keeps }) => keeps)
  for (const [name, plant] of Object.entries(plants)) {
    const seen: Finding[] = []
    for (const store of keepers) if (seen.length === 0) seen.push(...(await judged(store, plant)))
    console.log(`caches: planted: ${name}: found by "${seen[0]?.rule}", ${seen[0]?.where}`)
    if (seen.length === 0) findings.push({ rule: 'planted', where: name, message: 'no check found it' })
  }
  return findings
}

const judged = async (store: Store, plant?: Plant): Promise<readonly Finding[]> => {
  const findings = await checked(store, { checks: openChecks, settings: {}, plant })
  // With a second of freshness, nginx serves stored answers to anyone, which says nothing about the service.
  if (store.freshMs > 1 || (plant && findings.length > 0)) return findings
  const settings = { ACCESS: 'basic', ...administrator }
  return [...findings, ...(await checked(store, { checks: closedChecks, settings, plant }))]
}

interface Case {
  readonly checks: Checks
  readonly settings: Readonly<Record<string, string>>
  readonly plant: Plant | undefined
}

const checked = (store: Store, { checks, settings, plant }: Case): Promise<readonly Finding[]> =>
  withService(async (url) => {
    const findings: Finding[] = []
    const tap = await openTap(url, plant)
    const open = await store.open(tap.port)
    try {
      for (const [rule, check] of Object.entries(checks)) {
        if (plant && findings.length > 0) break
        await check({ ask: asking(open.port), store, tap }).catch((error: Error) => {
          findings.push({ rule, where: store.name, message: error.message.slice(0, 500) })
        })
      }
      const count = Object.keys(checks).length
      if (!plant) console.log(`caches: ${store.name}: ${count - findings.length} of ${count} checks hold`)
      return findings
    } finally {
      await open.close()
      await tap.close()
    }
  }, settings)
