import { statfsSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { dirname } from 'node:path'
import { Command } from 'commander'
import { sqlitePathOf } from '#sql/open.ts'
import { type TriedPlace, tryPlaces } from '#src/app/listening.ts'
import { openRefusedPasswords } from '#src/app/refused-passwords.ts'
import { certificateEnd, readTls } from '#src/app/tls.ts'
import { exitCodes } from '#src/cli/exit.ts'
import { jsonLine, print } from '#src/cli/output.ts'
import { addSettings, configOf } from '#src/cli/settings.ts'
import { table } from '#src/cli/table.ts'
import { hostAndPort, isLoopback } from '#src/config/own-hosts.ts'
import { type Config, SettingError } from '#src/config.ts'
import { examineData } from './doctor-data.ts'

export interface Diagnosis {
  readonly check: string
  readonly verdict: 'good' | 'look' | 'bad'
  readonly says: string
}

export const doctorCommand = () => {
  const command = new Command('doctor')
    .description('Check the settings, data and machine that `serve` would use, and report what to fix.')
    .option('--json', 'report the findings as JSON')
  addSettings(command).addHelpText(
    'after',
    '\nExample:\n  rollcall doctor --settings-file /etc/rollcall/settings',
  )
  return command.action(async ({ json }: { json?: true }) => {
    const found = await examine(command)
    const rows = found.map(({ check, verdict, says }) => [verdict, check, says])
    process.exitCode = exitCodeOf(found)
    await print(json ? jsonLine(found) : table(['', 'check', 'finding'], rows))
  })
}

/** The exit code that `serve` would have, which reads its settings before its data. */
const exitCodeOf = (found: readonly Diagnosis[]): number => {
  const bad = found.filter(({ verdict }) => verdict === 'bad')
  if (bad.length === 0) return exitCodes.done
  return bad.every(({ check }) => check === 'data') ? exitCodes.unusableData : exitCodes.usageError
}

const examine = async (command: Command): Promise<readonly Diagnosis[]> => {
  try {
    const config = configOf(command)
    const settings: Diagnosis = { check: 'settings', verdict: 'good', says: 'all are valid' }
    return [
      settings,
      machine(),
      ...access(config),
      ...(await tried('refused passwords', config.REFUSED_PASSWORDS, () => openRefusedPasswords(config))),
      ...(await tried('tls', config.TLS_CERT, () => readTls(config))),
      ...(await certificate(config)),
      ...(await tryPlaces(config)).map(listening),
      ...disk(config),
      ...(await examineData(config)),
      ...management(config),
    ]
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    return [{ check: 'settings', verdict: 'bad', says: error.message }]
  }
}

/** If a setting is given, tries what `serve` would do with it. */
const tried = async (
  check: string,
  given: string | undefined,
  work: () => Promise<unknown>,
): Promise<readonly Diagnosis[]> => {
  if (given === undefined) return []
  try {
    await work()
    return [{ check, verdict: 'good', says: given }]
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    return [{ check, verdict: 'bad', says: error.message }]
  }
}

const listening = ({ host, port, serves, fault }: TriedPlace): Diagnosis => {
  const check = 'listening'
  if (fault) return { check, verdict: 'bad', says: fault.message }
  return { check, verdict: 'good', says: `${hostAndPort(host, port)} for ${serves}` }
}

const dayMs = 24 * 60 * 60 * 1_000

/** A certificate should have been renewed this long before it ends. */
const renewedBeforeMs = 14 * dayMs

/** Another check reports a certificate that cannot be read. */
const certificate = async (config: Config): Promise<readonly Diagnosis[]> => {
  const end = certificateEnd(await readTls(config).catch(() => undefined))
  return end === undefined ? [] : [judgeCertificate(end, Date.now())]
}

export const judgeCertificate = (end: Date, nowMs: number): Diagnosis => {
  const check = 'certificate'
  const leftMs = end.getTime() - nowMs
  if (leftMs <= 0) return { check, verdict: 'bad', says: `expired at ${end.toISOString()}` }
  const says = `valid until ${end.toISOString()}, for ${Math.floor(leftMs / dayMs)} more days`
  return { check, verdict: leftMs < renewedBeforeMs ? 'look' : 'good', says }
}

const machine = (): Diagnosis => {
  const gib = totalmem() / 1024 ** 3
  const says = `Node ${process.versions.node}, ${availableParallelism()} processors, ${gib.toFixed(1)} GiB of memory`
  return { check: 'machine', verdict: gib < 0.5 ? 'look' : 'good', says }
}

const access = ({ ACCESS, HOST, PUBLIC_URL, TRUST_PROXY }: Config): readonly Diagnosis[] => {
  const isLocal = isLoopback(HOST)
  const found: Diagnosis[] = []
  if (ACCESS === 'open') {
    const verdict = isLocal ? 'good' : 'look'
    found.push({ check: 'access', verdict, says: `anyone who can reach ${HOST} may do anything` })
  } else found.push({ check: 'access', verdict: 'good', says: ACCESS })
  if (!isLocal && PUBLIC_URL === undefined && TRUST_PROXY.rules.length === 0)
    found.push({
      check: 'public url',
      verdict: 'look',
      says: 'Location and links follow the Host header that callers send: behind a proxy, set PUBLIC_URL or TRUST_PROXY',
    })
  return found
}

const minFreeBytes = 1024 ** 3

const disk = ({ DATABASE_URL }: Config): readonly Diagnosis[] => {
  const path = sqlitePathOf(DATABASE_URL)
  if (path === undefined) return []
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    const freeBytes = bavail * bsize
    const says = `${(freeBytes / 1024 ** 3).toFixed(1)} GiB free in ${dirname(path)}`
    return [{ check: 'disk', verdict: freeBytes < minFreeBytes ? 'look' : 'good', says }]
  } catch (error) {
    const says = Object(error).code === 'ENOENT' ? 'does not exist yet' : 'cannot be read'
    return [{ check: 'disk', verdict: 'look', says: `${dirname(path)} ${says}` }]
  }
}

const management = ({ MANAGEMENT_HOST, MANAGEMENT_PORT }: Config): readonly Diagnosis[] => {
  if (MANAGEMENT_PORT === 'off' || isLoopback(MANAGEMENT_HOST)) return []
  const says = `metrics, docs and health are open to anyone who can reach ${hostAndPort(MANAGEMENT_HOST, MANAGEMENT_PORT)}`
  return [{ check: 'management', verdict: 'look', says }]
}
