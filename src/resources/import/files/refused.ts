import { fillIn } from '#core/error-table.ts'
import type { Locale } from '#core/locale.ts'

export const maxFileBytes = 64 * 1024 ** 2
export const maxColumns = 1024

/** The reasons why a file cannot be read, and what to do about each. */
const en = {
  empty: 'The file has no records.',
  large: 'The file is larger than {max} MiB: split it, and import each part.',
  binary: 'The file is neither a text nor an Excel workbook: save it as CSV or as .xlsx.',
  encoding: 'Line {line} cannot be read as {encoding}: choose another encoding.',
  open: 'A quote in line {line} is never closed: correct that line.',
  early: 'A quote in line {line} ends before its field does: correct that line or choose another separator.',
  long: 'Line {line} is too long to be a record. Perhaps a quote in it is never closed.',
  json: 'The file is not a complete list of JSON objects: see line {line}.',
  protected: 'The workbook has a password or is older than Excel 2007: save it as .xlsx without a password.',
  damaged: 'The workbook is damaged or incomplete: save it again.',
  zip64: 'The workbook is packed in the format of huge files (zip64): save it with Excel, or as CSV.',
  workbook: 'The file is an archive, but not an Excel workbook: save the table as .xlsx or CSV.',
  unpacked: 'The unpacked workbook is too large for a table: save its sheet as CSV.',
  sheet: 'The workbook has no sheet named {sheet}: choose one of {sheets}.',
  columns: 'Row {line} has more than {max} columns: remove what does not belong to the table.',
}

export type FileRefusal = keyof typeof en

const ja: Readonly<Record<FileRefusal, string>> = {
  empty: 'ファイルにレコードがありません。',
  large: 'ファイルが {max} MiB を超えています。分割してインポートしてください。',
  binary: 'テキストでもExcelブックでもありません。CSVまたは .xlsx で保存してください。',
  encoding: '{line}行目を {encoding} として読み取れません。別の文字コードを選択してください。',
  open: '{line}行目の引用符が閉じていません。修正してください。',
  early: '{line}行目の引用符が項目の途中で閉じています。修正するか、別の区切り文字を選択してください。',
  long: '{line}行目はレコードとして長すぎます。引用符が閉じていない可能性があります。',
  json: 'JSONオブジェクトの完全なリストではありません。{line}行目を確認してください。',
  protected: 'パスワード付きか、Excel 2007より前の形式です。パスワードなしの .xlsx で保存してください。',
  damaged: 'ブックが壊れているか、途中で切れています。保存し直してください。',
  zip64: '巨大ファイル用の形式（zip64）のブックです。ExcelまたはCSVで保存し直してください。',
  workbook: 'Excelブックではない圧縮ファイルです。表を .xlsx またはCSVで保存してください。',
  unpacked: '展開後のサイズが大きすぎるブックです。シートをCSVで保存してください。',
  sheet: 'シート {sheet} がありません。次から選択してください: {sheets}。',
  columns: '{line}行目が {max} 列を超えています。表以外のセルを削除してください。',
}

const sentences: Readonly<Record<Locale, Readonly<Record<FileRefusal, string>>>> = { en, ja }

/** Thrown for a file that cannot be read, or for the first part of a file that cannot be read. */
export class FileRefused extends Error {
  readonly code: FileRefusal
  readonly #args: Readonly<Record<string, string | number>>

  constructor(code: FileRefusal, args: Readonly<Record<string, string | number>> = {}) {
    super(fillIn(en[code], args))
    this.code = code
    this.#args = args
  }

  sentence(locale: Locale): string {
    return fillIn(sentences[locale][this.code], this.#args)
  }
}
