/** The folder of the ledger's own migrations. */
export const ledgerMigrations = new URL('./migrations/', import.meta.url)
