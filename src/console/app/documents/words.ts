import { textsIn } from '#console/app/words/texts.ts'

export const useDocumentWords = textsIn({
  title: ['API reference', 'API リファレンス'],
  english: ['', '見出しは日本語、仕様の説明文は英語です。エラーコードの説明は日本語で読めます。'],
  find: ['Find an operation, a type or a code', '操作、型、コードを検索'],
  nothing: (text: string) => [`Nothing here contains “${text}”.`, `「${text}」を含むものはありません。`],
  contents: ['Operations', '操作'],
  schemas: ['Types', '型'],
  parameters: ['Parameters', 'パラメータ'],
  request: ['Request', 'リクエスト'],
  body: ['Body', 'ボディ'],
  answers: ['Responses', '応答'],
  beforeOperation: ['before the operation', '操作より前'],
  answer: ['Example of a response', '応答の例'],
  required: ['required', '必須'],
  optional: ['optional', '任意'],
  places: {
    path: ['in the path', 'パス'],
    query: ['in the query', 'クエリ'],
    header: ['header field', 'ヘッダ'],
  },
  or: [' or ', ' または '],
  list: ['list of ', '一覧: '],
  length: (min: number, max: number) => `, ${min} to ${max.toLocaleString('en')} characters
    、${min} から ${max.toLocaleString('ja')} 文字`,
  least: (min: number) => [`, at least ${min}`, `、${min} 以上`],
  text: ['text', '文字列'],
  scope: ['Needs the scope', '必要なスコープ'],
  tryIt: ['Try it', '試す'],
  send: ['Send', '送信'],
  took: (ms: number) => [`${ms} ms`, `${ms} ミリ秒`],
  leftOut: (count: number) => `… ${count.toLocaleString('en')} more characters are not shown.
    … 残りの ${count.toLocaleString('ja')} 文字は表示していません。`,
  errors: ['Error codes', 'エラーコード'],
  errorsIntro: `Every refusal has a code that never changes and a message in the language of the request.
    すべての拒否応答には、変わることのないコードと、リクエストの言語によるメッセージがあります。`,
  refusals: ['Responses', '応答'],
  details: ['Details', '詳細'],
  means: ['What it means', '意味'],
  why: ['Why it happens', '原因'],
  cure: ['What to do', '対処'],
  unknown: ['No such error code', '該当するエラーコードがありません'],
  unknownWhy: `This service has no error code of that name.
    この名前のエラーコードは、このサービスにはありません。`,
  quote: `If you ask for help, quote the X-Track of the response.
    お問い合わせの際は、応答の X-Track をお知らせください。`,
})
