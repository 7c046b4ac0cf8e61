/** Shorter path data for drawings that are shown much smaller than their coordinates are wide. */

/** The coordinates that one step of a command has: x or y, in pairs unless it says otherwise. */
const axes: Readonly<Record<string, string>> = {
  m: 'xy',
  l: 'xy',
  t: 'xy',
  h: 'x',
  v: 'y',
  q: 'xyxy',
  s: 'xyxy',
  c: 'xyxyxy',
}

type Axis = 'x' | 'y'
const isAxis = (letter: string): letter is Axis => letter === 'x' || letter === 'y'

/** Without the rounding errors of binary fractions. */
const short = (value: number) => Math.round(value * 1000) / 1000

/**
 * The path with coordinates that are multiples of `grid`. Each point is rounded where it stands, not its
 * distance from the one before, so that errors do not add up: nothing moves by more than half of `grid`.
 * Paths with arcs, whose flags are no coordinates, stay as they are.
 */
export function wholePath(data: string, grid = 1): string {
  if (/a/i.test(data)) return data
  const onGrid = (value: number) => short(Math.round(value / grid) * grid)
  const exact = { x: 0, y: 0 }
  const drawn = { x: 0, y: 0 }
  const start = { x: 0, y: 0 }
  let text = ''
  for (const [, command = '', values = ''] of data.matchAll(/([a-z])([^a-z]*)/gi)) {
    const lower = command.toLowerCase()
    if (lower === 'z') {
      text += command
      Object.assign(exact, start)
      Object.assign(drawn, { x: onGrid(start.x), y: onGrid(start.y) })
      continue
    }
    const step = axes[lower]
    const numbers = (values.match(/-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?/gi) ?? []).map(Number)
    if (step === undefined || numbers.length % step.length !== 0) return data
    const isRelative = command === lower
    const written: number[] = []
    for (let index = 0; index < numbers.length; index += step.length) {
      const end = { ...exact }
      const points: number[] = []
      for (const [offset, letter] of [...step].entries()) {
        if (!isAxis(letter)) continue
        const point = (numbers[index + offset] ?? 0) + (isRelative ? exact[letter] : 0)
        points.push(short(onGrid(point) - (isRelative ? drawn[letter] : 0)))
        end[letter] = point
      }
      // A line of length zero.
      const isNothing = /[hlvc]/.test(command) && points.every((point) => point === 0)
      if (!isNothing) written.push(...points)
      Object.assign(exact, end)
      Object.assign(drawn, { x: onGrid(end.x), y: onGrid(end.y) })
      if (lower === 'm' && index === 0) Object.assign(start, end)
    }
    if (written.length > 0) text += command + written.join(' ').replaceAll(' -', '-')
  }
  return text
}
