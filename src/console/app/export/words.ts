import { locale } from '#console/app/state/preferences.ts'
import { textsIn } from '#console/app/words/index.ts'

const number = (n: number) => n.toLocaleString('en')

const en = {
  title: (list: string, n: number) => `Export ${list}: ${number(n)}`,
  formats: { sheet: 'For people (.xlsx)', csv: 'For people (CSV)', exact: 'Exact (CSV)' },
  about: {
    sheet: (columns: string) => `The columns of this page, with dates that Excel sorts: ${columns}.`,
    csv: () => 'The same as text, with dates as they are written here.',
    exact: () => 'All fields as they are stored. Imported again, the file changes nothing.',
  },
  comma: ', ',
  done: (n: number) => `${number(n)} ${n === 1 ? 'row' : 'rows'} saved`,
  failed: 'The list was not saved.',
}

const ja: typeof en = {
  title: (list, n) => `${list}の書き出し（${number(n)} 件）`,
  formats: { sheet: '閲覧用（.xlsx）', csv: '閲覧用（CSV）', exact: '完全なデータ（CSV）' },
  about: {
    sheet: (columns) => `このページの列を、Excel で並べ替えられる日付で保存します：${columns}。`,
    csv: () => '同じ内容をテキストで保存します。日付はこのページと同じ書き方です。',
    exact: () => 'すべての項目を保存されているとおりに書き出します。そのまま取り込んでも何も変わりません。',
  },
  comma: '、',
  done: (n) => `${number(n)} 件を保存しました`,
  failed: '一覧を保存できませんでした。',
}

const tables = { en, ja }

export const useExportWords = textsIn(tables)

/** The texts, for code outside a component. */
export const exportWordsNow = () => tables[locale.get()]
