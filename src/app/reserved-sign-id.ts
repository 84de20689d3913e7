import { fold } from '#core/fold.ts'
import { findAdministratorSignId, generatedSignId } from '#ledger/administrator.ts'
import type { Database } from '#sql/database.ts'
import type { Config } from '#src/config.ts'

/** Returns a function that tells whether a sign id is reserved for the administrator, in every access mode (decision 0028). */
export const openReservedSignId = async (
  config: Config,
  db: Database,
): Promise<(signId: string) => boolean> => {
  const signId = administratorSignId(config) ?? (await findAdministratorSignId(db))
  if (signId === undefined) return () => false
  const reserved = skeleton(signId)
  return (signId) => skeleton(signId) === reserved
}

/** Maps texts that look alike in Latin, Cyrillic or Greek letters of either case to the same text, which is never stored. */
const skeleton = (signId: string) =>
  [...fold(signId)].map((letter) => lookalikes.get(letter) ?? letter).join('')

/** Pairs: a letter, and the Latin letter that it looks like. */
const pairs =
  'аa вb сc ԁd еe ѐe ёe һh нh іi їi ıi ɩi јj кk ӏl мm пn оo рp ԛq гr ѕs тt цu ѵv ѡw ԝw хx уy ўy зz αa βb ϲc εe ηn ιi κk μm νv οo ρp τt υu ωw χx γy ζz ɑa ɡg'
const lookalikes = new Map(pairs.split(' ').map(([letter = '', latin = '']) => [letter, latin] as const))

/** The sign id of the administrator, if the settings alone decide it. Then it is known even before the first start. */
export const administratorSignId = ({ ACCESS, ADMIN_SIGN_ID }: Config): string | undefined =>
  ADMIN_SIGN_ID ?? (ACCESS === 'basic' ? generatedSignId : undefined)
