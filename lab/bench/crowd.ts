import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const batchSize = 200
const request = 'GET /api/v1/todos HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** Opens `count` connections, sends one request on each, and keeps them open. */
export const holdConnections = async (origin: string, count: number) => {
  const { hostname, port } = new URL(origin)
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(batchSize, count - sockets.length) }, () =>
      openAndRequest(hostname, Number(port)),
    )
    sockets.push(...(await Promise.all(some)))
  }
  const lost = sockets.filter(({ destroyed }) => destroyed).length
  if (lost > 0) throw new Error(`${lost} of ${count} connections were closed before all were open`)
  return {
    close() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

const openAndRequest = async (host: string, port: number) => {
  const socket = connect(port, host)
  await once(socket, 'connect')
  socket.write(request)
  await once(socket, 'data')
  return socket
}
