import styles from './banner.module.css'

interface BannerProps {
  src: string
  /** The text alternative of the picture. */
  name: string
  link: string
  /** What the link is called. */
  label: string
  /** Its place in the list: the first one loads at once, those out of sight later. */
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
