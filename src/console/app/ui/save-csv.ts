import { type CsvFields, defused, writeCsv } from '#core/csv.ts'

/** A byte order mark tells spreadsheets that the file is UTF-8. */
const mark = '\uFEFF'

/** Saves a table for spreadsheets, with formulas defused. */
export const saveCsv = (fileName: string, rows: readonly CsvFields[]) => {
  const lines = rows.map((cells) => writeCsv(cells.map((cell) => cell && defused(cell))))
  const address = URL.createObjectURL(new Blob([mark, ...lines], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  URL.revokeObjectURL(address)
}
