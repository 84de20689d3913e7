import { openToAll } from './access.ts'
import { byPassword } from './access-basic.ts'
import { byToken } from './access-oauth.ts'

/** Every way to let people in. Each opens what it needs and is closed. */
export const accesses = { open: openToAll, basic: byPassword, oauth: byToken }
