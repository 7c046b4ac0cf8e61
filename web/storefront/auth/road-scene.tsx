/* The dashes of the centre line, top and bottom: shorter with distance. */
const dashes = [
  [392, 398.5],
  [402.5, 411],
  [416.5, 428],
  [436, 453],
  [465, 491],
  [510, 552],
  [582, 652],
  [704, 800],
] as const

/** Half the width of the centre line at a height, in perspective: 0 at the horizon. */
const halfWidth = (y: number) => ((y - 380) / 420) * 17

const points = (top: number, bottom: number) =>
  `${320 - halfWidth(top)},${top} ${320 + halfWidth(top)},${top} ${320 + halfWidth(bottom)},${bottom} ${320 - halfWidth(bottom)},${bottom}`

/** An illustration: a road at night in perspective. */
export function RoadScene() {
  return (
    <svg viewBox="0 0 640 800" preserveAspectRatio="xMidYMax slice" aria-hidden="true" focusable="false">
      <path d="M0 380h640" stroke="var(--asphalt-line)" strokeWidth="1.5" />
      <path d="M316 380 -120 800H760L324 380z" fill="#0c0e11" />
      <path
        d="M316.500 380 -70 800M323.500 380 710 800"
        stroke="var(--on-asphalt-quiet)"
        strokeWidth="2.500"
        fill="none"
      />
      {dashes.map(([top, bottom]) => (
        <polygon key={top} points={points(top, bottom)} fill="var(--asphalt-paint)" />
      ))}
    </svg>
  )
}
