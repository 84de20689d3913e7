import { count, number, textsIn } from '#console/app/words/texts.ts'

export const exportWords = textsIn({
  title: (list: string, n: number) => `Export ${list}: ${number(n)}
    ${list}の書き出し（${number(n)} 件）`,
  formats: {
    sheet: ['For people (.xlsx)', '閲覧用（.xlsx）'],
    csv: ['For people (CSV)', '閲覧用（CSV）'],
    exact: ['Exact (CSV)', '完全なデータ（CSV）'],
  },
  about: {
    sheet: (columns: string) => `The columns of this page, with dates that Excel sorts: ${columns}.
      このページの列を、Excel で並べ替えられる日付で保存します：${columns}。`,
    csv: () => `The same as text, with dates as they are written here.
      同じ内容をテキストで保存します。日付はこのページと同じ書き方です。`,
    exact: () => `All fields as they are stored. Imported again, the file changes nothing.
      すべての項目を保存されているとおりに書き出します。そのまま取り込んでも何も変わりません。`,
  },
  comma: [', ', '、'],
  done: (n: number) => [`${count(n, 'row', 'rows')} saved`, `${number(n)} 件を保存しました`],
  failed: ['The list was not saved.', '一覧を保存できませんでした。'],
})
