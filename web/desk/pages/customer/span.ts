const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** A span of time in its largest unit. */
export function spanText(ms: number, language: 'ru' | 'en'): string {
  const [unit, size] = units.find(([, each]) => ms >= each) ?? units[3]
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(
    Math.floor(ms / size),
  )
}
