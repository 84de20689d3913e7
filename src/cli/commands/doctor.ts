import { statfsSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { dirname } from 'node:path'
import { Command } from 'commander'
import { sqlitePathOf } from '#sql/open.ts'
import { tryAddresses } from '#src/app/listening.ts'
import { openRefusedPasswords } from '#src/app/refused-passwords.ts'
import { resourcesOf } from '#src/app/resources.ts'
import { certificateEnd, readTls } from '#src/app/tls.ts'
import { exitCodes } from '#src/cli/exit.ts'
import { jsonLine, print } from '#src/cli/output.ts'
import { addSettingFlags, configOf } from '#src/cli/settings.ts'
import { table } from '#src/cli/table.ts'
import { hostAndPort, isLoopback } from '#src/config/allowed-hosts.ts'
import { settingAgainstOpenAccess } from '#src/config/contradictions.ts'
import { type Config, SettingError } from '#src/config.ts'
import { examineData } from './doctor-data.ts'
import { askService } from './health.ts'

export interface Diagnosis {
  readonly check: string
  readonly verdict: 'good' | 'look' | 'bad'
  readonly says: string
}

export const doctorCommand = () => {
  const command = new Command('doctor')
    .description('Check the settings, data and machine that `serve` would use, and report what to fix.')
    .option('--json', 'report the findings as JSON')
  addSettingFlags(command).addHelpText(
    'after',
    '\nExample:\n  rollcall doctor --settings-file /etc/rollcall/settings',
  )
  return command.action(async ({ json }: { json?: true }) => {
    const diagnoses = await examine(command)
    const rows = diagnoses.map(({ check, verdict, says }) => [verdict, check, says])
    process.exitCode = exitCodeOf(diagnoses)
    await print(json ? jsonLine(diagnoses) : table(['', 'check', 'finding'], rows))
  })
}

/** The exit code with which `serve` would end. Faults of the settings come first, because `serve` reads the settings first. */
const exitCodeOf = (diagnoses: readonly Diagnosis[]): number => {
  const bad = diagnoses.filter(({ verdict }) => verdict === 'bad')
  if (bad.length === 0) return exitCodes.done
  return bad.every(({ check }) => check === 'data') ? exitCodes.unusableData : exitCodes.usageError
}

const examine = async (command: Command): Promise<readonly Diagnosis[]> => {
  let config: Config | undefined
  const settingsDiagnosis = await diagnose('settings', 'all are valid', async () => {
    const read = configOf(command)
    await resourcesOf(read)
    config = read
  })
  if (config === undefined) return [settingsDiagnosis]
  const taskDiagnoses = await examineTasks(config)
  return [
    settingsDiagnosis,
    ...examineEnvironment(config),
    ...(await examineFiles(config, taskDiagnoses.length > 0)),
    ...(await examineData(config)),
    ...taskDiagnoses,
  ]
}

/** Asks the service that runs with these settings about its background tasks. Empty if no service runs. */
const examineTasks = async (config: Config): Promise<readonly Diagnosis[]> => {
  const { MANAGEMENT_HOST: host, MANAGEMENT_PORT: port } = config
  if (port === 'off') return []
  const failing = await askService(config, { host, port, method: 'GET', path: '/health/ready' })
    .then(({ body }) => failingTasksIn(body))
    .catch(() => undefined)
  if (!failing) return []
  const says = `failing in the running service: ${failing.join(', ')}; its log says why`
  return failing.length === 0
    ? [lookIf(false, 'tasks', 'the background tasks of the running service succeed')]
    : [lookIf(true, 'tasks', says)]
}

/** The failing tasks, from the answer of /health/ready. Undefined if the answer has another form. */
const failingTasksIn = (body: string): readonly string[] | undefined => {
  const { status, failing = [] } = JSON.parse(body)
  return status === 'up' || status === 'down' ? failing : undefined
}

const examineFiles = async (config: Config, isRunning: boolean): Promise<readonly Diagnosis[]> => {
  const { REFUSED_PASSWORDS: passwords, TLS_CERT: certificate } = config
  const diagnoses: Diagnosis[] = []
  if (passwords !== undefined)
    diagnoses.push(await diagnose('refused passwords', passwords, () => openRefusedPasswords(config)))
  if (certificate !== undefined)
    diagnoses.push(
      await diagnose('tls', certificate, async () => {
        const end = certificateEnd(await readTls(config))
        if (end !== undefined) diagnoses.push(judgeCertificate(end, Date.now()))
      }),
    )
  for (const { host, port, serverName, fault } of await tryAddresses(config)) {
    const place = `${hostAndPort(host, port)} for ${serverName}`
    const isOwnListener = isRunning && Object(fault?.cause).code === 'EADDRINUSE'
    const says = isOwnListener ? `Rollcall already runs on ${place}` : (fault?.message ?? place)
    diagnoses.push({ check: 'listening', verdict: fault ? 'bad' : 'good', says })
  }
  return diagnoses
}

/** Does a step of the start of `serve`, and reports whether the step failed because of a setting. */
const diagnose = async (check: string, finding: string, work: () => Promise<unknown>): Promise<Diagnosis> => {
  try {
    await work()
    return { check, verdict: 'good', says: finding }
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    return { check, verdict: 'bad', says: error.message }
  }
}

const dayMs = 24 * 60 * 60 * 1_000

/** A certificate that is valid for less than this should be renewed. */
const minValidityMs = 14 * dayMs

export const judgeCertificate = (end: Date, nowMs: number): Diagnosis => {
  const check = 'certificate'
  const leftMs = end.getTime() - nowMs
  if (leftMs <= 0) return { check, verdict: 'bad', says: `expired at ${end.toISOString()}` }
  const says = `valid until ${end.toISOString()}, for ${Math.floor(leftMs / dayMs)} more days`
  return lookIf(leftMs < minValidityMs, check, says)
}

const lookIf = (isDoubtful: boolean, check: string, says: string): Diagnosis => ({
  check,
  verdict: isDoubtful ? 'look' : 'good',
  says,
})

const gib = 1024 ** 3
const minMemoryGib = 0.5
const minFreeGib = 1

const examineEnvironment = (config: Config): readonly Diagnosis[] => {
  const { ACCESS, HOST, PUBLIC_URL, TRUST_PROXY, MANAGEMENT_HOST, MANAGEMENT_PORT } = config
  const isLocal = isLoopback(HOST)
  const memoryGib = totalmem() / gib
  const machine = `Node ${process.versions.node}, ${availableParallelism()} processors, ${memoryGib.toFixed(1)} GiB of memory`
  const diagnoses = [
    lookIf(memoryGib < minMemoryGib, 'machine', machine),
    ACCESS === 'open'
      ? lookIf(
          !isLocal || settingAgainstOpenAccess(config) !== undefined,
          'access',
          `anyone who can reach ${PUBLIC_URL ?? HOST} may do anything`,
        )
      : lookIf(false, 'access', ACCESS),
    ...examineDisk(config),
  ]
  if (!isLocal && PUBLIC_URL === undefined && TRUST_PROXY.rules.length === 0)
    diagnoses.push(lookIf(true, 'public url', hostHeaderWarning))
  if (MANAGEMENT_PORT !== 'off' && !isLoopback(MANAGEMENT_HOST)) {
    const says = `metrics, docs and health are open to anyone who can reach ${hostAndPort(MANAGEMENT_HOST, MANAGEMENT_PORT)}`
    diagnoses.push(lookIf(true, 'management', says))
  }
  return diagnoses
}

const hostHeaderWarning =
  'Location and links follow the Host header that callers send: behind a proxy, set PUBLIC_URL or TRUST_PROXY'

const examineDisk = ({ DATABASE_URL }: Config): readonly Diagnosis[] => {
  const path = sqlitePathOf(DATABASE_URL)
  if (path === undefined) return []
  const folder = dirname(path)
  try {
    const { bavail, bsize } = statfsSync(folder)
    const freeGib = (bavail * bsize) / gib
    return [lookIf(freeGib < minFreeGib, 'disk', `${freeGib.toFixed(1)} GiB free in ${folder}`)]
  } catch (error) {
    const fault = Object(error).code === 'ENOENT' ? 'does not exist yet' : 'cannot be read'
    return [lookIf(true, 'disk', `${folder} ${fault}`)]
  }
}
