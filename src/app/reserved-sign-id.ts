import { fold } from '#core/fold.ts'
import { firstSignId, storedSignId } from '#ledger/administrator.ts'
import type { Database } from '#sql/database.ts'
import type { Config } from '#src/config.ts'

/** Tells whether a sign id is the administrator's, which no member may take, whatever ACCESS is (decision 0028). */
export const openReserved = async (config: Config, db: Database): Promise<(signId: string) => boolean> => {
  const signId = administratorSignId(config) ?? (await storedSignId(db))
  if (signId === undefined) return () => false
  const reserved = fold(signId)
  return (signId) => fold(signId) === reserved
}

/** The administrator's sign id if it follows from the settings alone, even before the first start. */
export const administratorSignId = ({ ACCESS, ADMIN_SIGN_ID }: Config): string | undefined =>
  ADMIN_SIGN_ID ?? (ACCESS === 'basic' ? firstSignId : undefined)
