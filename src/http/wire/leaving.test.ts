import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { leave } from './leaving.ts'
import { lingerLimitBytes } from './limits.ts'

test('a socket that is being left is read up to the limit, and destroyed beyond it', async (t) => {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, written) => written() })
  t.after(() => socket.destroy())
  leave(socket)
  const chunk = Buffer.alloc(1024 * 1024)
  for (let sent = 0; sent < lingerLimitBytes; sent += chunk.length) socket.push(chunk)
  await turn()
  assert.equal(socket.destroyed, false)
  socket.push('x')
  await turn()
  assert.equal(socket.destroyed, true)
})
