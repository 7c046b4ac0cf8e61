/** The program's own mark: a road seen from above. */
export function LogoMark({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="var(--asphalt)" />
      <path d="M16 4.5v5.2M16 13.4v5.2M16 22.3v5.2" stroke="var(--asphalt-paint)" strokeWidth="4.2" />
      <path d="M7 4.5v23M25 4.5v23" stroke="#5A616A" strokeWidth="2" />
    </svg>
  )
}

interface Picture {
  src: string
  width: number
  height: number
}

interface LogoProps {
  /** Null: the program's mark. */
  logo: Picture | null
  /** The logo in the dark theme; null: the same as `logo`. */
  logo_dark: Picture | null
  /** The text beside the logo; empty: none. */
  logo_text: string
  size?: number
}

/** The greatest width of the logo, in heights of the mark. */
const widest = 5

/** The shop's logo with its text; the link or heading around it has the accessible name. */
export function Logo({ logo, logo_dark: dark, logo_text: text, size = 28 }: LogoProps) {
  if (logo === null)
    return (
      <>
        <LogoMark size={size} />
        <span>{text}</span>
      </>
    )
  const height = Math.min(
    size * (logo.width > 1.5 * logo.height ? 1.15 : 1),
    (size * widest * logo.height) / logo.width,
  )
  return (
    <>
      <picture>
        {dark !== null && <source srcSet={dark.src} media="(prefers-color-scheme: dark)" />}
        <img
          src={logo.src}
          width={Math.round((height * logo.width) / logo.height)}
          height={Math.round(height)}
          alt=""
        />
      </picture>
      <span>{text}</span>
    </>
  )
}
