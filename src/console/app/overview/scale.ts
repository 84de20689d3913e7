/** The next larger round number whose half is also round. */
export const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((one) => one * power >= value * 0.999) ?? 10
  return step * power
}

export interface Dot {
  readonly x: number
  readonly y: number
}

/** One line for each run of points without a gap. */
export const stretches = (dots: readonly (Dot | null)[], widestGap: number): readonly (readonly Dot[])[] => {
  const found: Dot[][] = [[]]
  for (const dot of dots) {
    const current = found.at(-1) ?? []
    const before = current.at(-1)
    if (dot && (!before || dot.x - before.x <= widestGap)) current.push(dot)
    else if (current.length > 0 || dot) found.push(dot ? [dot] : [])
  }
  return found.filter((dots) => dots.length > 0)
}

const text = ({ x, y }: Dot) => `${x.toFixed(1)} ${y.toFixed(1)}`

export const linePath = (dots: readonly Dot[]) => `M${dots.map(text).join('L')}`

export const areaPath = (dots: readonly Dot[], floor: number) => {
  const [first, last] = [dots[0], dots.at(-1)]
  return first && last
    ? `${linePath(dots)}L${last.x.toFixed(1)} ${floor}L${first.x.toFixed(1)} ${floor}Z`
    : ''
}
