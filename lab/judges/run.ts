import { caches } from './caches.ts'
import { clients } from './clients.ts'
import { foreign } from './foreign.ts'
import { type Finding, lints } from './lints.ts'
import { suite } from './suite.ts'
import { readWaivers, type Waiver } from './waivers.ts'

const all: Readonly<Record<string, () => Promise<readonly Finding[]>>> = {
  ...lints,
  ...clients,
  ...foreign,
  caches,
  suite,
}

/** The judges named on the command line, or all of them. */
const named = process.argv.slice(2)
const unknown = named.filter((name) => !Object.hasOwn(all, name))
if (unknown.length > 0)
  throw new Error(`No judge is called ${unknown.join(', ')}: there are ${Object.keys(all).join(', ')}.`)
const judges = Object.entries(all).filter(([judge]) => named.length === 0 || named.includes(judge))

const isWaived = (waivers: readonly Waiver[], judge: string, { rule }: Finding) =>
  waivers.some((waiver) => waiver.judge === judge && waiver.rule === rule)

/** Runs every judge. Each finding is either waived in the README, with a reason, or a failure; so is an unused waiver. */
const waivers = (await readWaivers()).filter(({ judge }) => judges.some(([name]) => name === judge))
const used = new Set<string>()
let failures = 0

for (const [judge, ask] of judges) {
  const startedAtMs = performance.now()
  const findings = await ask()
  const left = findings.filter((finding) => !isWaived(waivers, judge, finding))
  for (const { rule } of findings) used.add(`${judge} ${rule}`)
  failures += left.length
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1)
  console.log(
    `${judge}: ${findings.length} findings, ${findings.length - left.length} waived, ${left.length} left, ${seconds} s`,
  )
  for (const { rule, where, message } of left.slice(0, 50)) console.log(`  ${rule} ${where}: ${message}`)
}

const unused = waivers.filter(({ judge, rule }) => !used.has(`${judge} ${rule}`))
for (const { judge, rule } of unused) console.log(`the waiver of ${judge} ${rule} is unused`)
console.log(`${judges.length} judges, ${failures + unused.length} complaints`)
process.exitCode = failures + unused.length === 0 ? 0 : 1
