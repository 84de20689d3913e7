import { openToAll } from './access.ts'
import { byPassword } from './access-basic.ts'
import { byToken } from './access-oauth.ts'

/** Every access mode. Each opens what it needs and must be closed. */
export const accesses = { open: openToAll, basic: byPassword, oauth: byToken }
