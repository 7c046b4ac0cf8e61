import styles from './banner.module.css'

interface BannerProps {
  src: string
  /** The text alternative of the picture. */
  name: string
  link: string
  /** The accessible name of the link. */
  label: string
  /** The position in the list: the first two load at once, later ones when they come near the screen. */
  index?: number
}

/** A picture with a link, as customers see it. */
export function Banner({ src, name, link, label, index = 0 }: BannerProps) {
  return (
    <a className={styles.banner} href={link} target="_blank" rel="noreferrer" aria-label={label}>
      <img
        className={styles.picture}
        src={src}
        alt={name}
        width={1200}
        height={400}
        fetchPriority={index === 0 ? 'high' : 'auto'}
        loading={index > 1 ? 'lazy' : 'eager'}
      />
    </a>
  )
}
