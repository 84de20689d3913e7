import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { openService } from '#lab/service.ts'
import type { Fault } from '../fault.ts'
import { missing, probe, until } from '../probe.ts'

const descriptorLimit = 64
const idleConnections = 200

/** More connections than the process has file descriptors. */
export const descriptors: Fault = {
  name: 'file descriptors exhausted',
  engine: 'sqlite',
  promise: 'It keeps running, answers what it can, and recovers by itself; nothing acknowledged is lost.',
  async run({ directory }) {
    const service = await openService({
      databaseUrl: `sqlite:${join(directory, 'rollcall.db')}`,
      under: ['prlimit', `--nofile=${descriptorLimit}:${descriptorLimit}`],
    })
    const early = probe(service.url, 3000)
    await early.write()
    const idle = await connectIdle(service.port)
    const answers = []
    for (let n = 0; n < 10; n++) answers.push(await early.write(), await early.read())
    for (const socket of idle) socket.destroy()
    const healedMs = await until(early.write, 201)
    const gone = await missing(early, early.created)
    const end = await service.end('SIGTERM')
    const wrong = answers.filter(({ status }) => ![0, 200, 201, 503].includes(status))
    const answered = answers.filter(({ status }) => status === 200 || status === 201).length
    return {
      figure: `${idleConnections} connections on ${descriptorLimit} descriptors: ${answered} of ${answers.length} answered, healed after ${healedMs} ms`,
      broken: [
        ...wrong.map(({ status, code }) => `answered ${status} ${code ?? ''}`),
        ...gone.map((id) => `${id} is lost`),
        ...(end === 0 ? [] : [`it ended with ${end}`]),
      ],
      figures: { answered, healedMs, lost: gone.length },
    }
  },
}

const connectIdle = async (port: number): Promise<Socket[]> => {
  const sockets = Array.from({ length: idleConnections }, () =>
    connect(port, '127.0.0.1').on('error', () => {}),
  )
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
  return sockets
}
