import { textsIn } from '#console/app/words/index.ts'

const en = {
  subtitle: 'Load and delays of the past hour.',
  now: 'now',
  minutesAgo: (n: number) => `${n} min ago`,
  absentTitle: 'No metrics here',
  absentText:
    'This listener does not serve /metrics, so there is nothing to draw. Members and todos work as usual.',
  charts: {
    requests: 'Requests',
    latency: 'Latency',
    errors: 'Errors',
    storage: 'Storage',
    lag: 'Event-loop lag',
  },
  series: {
    reads: 'reads',
    writes: 'changes',
    p50: 'median',
    p99: '99 %',
    clientErrors: '4xx',
    serverErrors: '5xx',
    commits: 'commits',
    longest: 'longest',
    mean: 'mean',
  },
  units: { perSecond: '/s', perMinute: '/min', ms: 'ms' },
  summary: (title: string, text: string) => `${title}: ${text}`,
}

const ja: typeof en = {
  subtitle: 'サービスの状態です。',
  now: '現在',
  minutesAgo: (value) => `${value} 分前`,
  absentTitle: 'メトリクスがありません',
  absentText:
    'このリスナーは /metrics に応答しないため、描くものがありません。会員とやることは通常どおり使えます。',
  charts: {
    requests: 'リクエスト',
    latency: '応答時間',
    errors: 'エラー',
    storage: 'ストレージ',
    lag: 'イベントループ遅延',
  },
  series: {
    reads: '参照',
    writes: '変更',
    p50: '中央値',
    p99: '99 %',
    clientErrors: '4xx',
    serverErrors: '5xx',
    commits: 'コミット',
    longest: '最長',
    mean: '平均',
  },
  units: { perSecond: '/秒', perMinute: '/分', ms: 'ms' },
  summary: (title, text) => `${title}: ${text}`,
}

/** The texts of the page of the service, which are loaded with it. */
export const useServiceWords = textsIn({ en, ja })
