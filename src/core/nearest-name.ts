/** Finds the name that was probably meant: one typing error away, and long enough not to be the name of something else. */
export const nearestName = (given: string, names: readonly string[], minLetters = 6): string | undefined =>
  names.find((name) => name.length >= minLetters && name !== given && isOneTypo(name, given))

/** Whether one letter was added, left out or changed, or two adjacent letters were swapped. */
const isOneTypo = (name: string, given: string) => {
  const start = sameLetters(name, given)
  const [expected, actual] = [name.slice(start), given.slice(start)]
  const isSwapped =
    expected[0] === actual[1] && expected[1] === actual[0] && expected.slice(2) === actual.slice(2)
  return (
    isSwapped ||
    expected === actual.slice(1) ||
    expected.slice(1) === actual ||
    expected.slice(1) === actual.slice(1)
  )
}

const sameLetters = (name: string, given: string) => {
  let count = 0
  while (count < name.length && name[count] === given[count]) count++
  return count
}
