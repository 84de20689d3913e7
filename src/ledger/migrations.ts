/** Where the ledger's own migrations lie. */
export const ledgerMigrations = new URL('./migrations/', import.meta.url)
