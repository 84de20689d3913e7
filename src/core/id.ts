import type { Clock } from './clock.ts'
import { randomHex } from './random-hex.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** True if a text has the form of an id. A text of any other form identifies no record. */
export const isId = (text: string) => uuid.test(text)

export type NewId = () => string

/** Returns a generator of UUIDv7s that increase within the process, even within one millisecond or if the clock runs backwards. */
export const increasingIds = (clock: Clock): NewId => {
  let lastMs = 0
  let time = formatTime(lastMs)
  let counter = 0
  const setTime = (ms: number) => {
    lastMs = ms
    time = formatTime(ms)
  }
  return () => {
    const now = clock.now()
    if (now > lastMs) {
      setTime(now)
      counter = Number.parseInt(randomDigits().slice(0, 3), 16) & 0x7ff
    } else if (++counter > 0xfff) {
      setTime(lastMs + 1)
      counter = 0
    }
    return formatId(time, counter, randomDigits())
  }
}

const formatTime = (ms: number) => ms.toString(16).padStart(12, '0')

/** Version 7, with the counter in rand_a (RFC 9562, 6.2 method 1). */
const formatId = (time: string, counter: number, random: string) => {
  const variant = variants[Number.parseInt(random.charAt(0), 16) & 3]
  const middle = `7${counter.toString(16).padStart(3, '0')}`
  return `${time.slice(0, 8)}-${time.slice(8)}-${middle}-${variant}${random.slice(1, 4)}-${random.slice(4)}`
}

const randomDigits = randomHex(16)

const variants = ['8', '9', 'a', 'b']
