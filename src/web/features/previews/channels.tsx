export const CHANNELS = ['all', 'red', 'green', 'blue', 'alpha'] as const
export type Channel = (typeof CHANNELS)[number]

/** Each row is what red, green, blue and alpha become of the four channels and one. */
const one = (channel: string) => `${channel} ${channel} ${channel} 0 0 0 0 1`
const MATRICES: Record<Exclude<Channel, 'all'>, string> = {
  red: one('1 0 0 0 0'),
  green: one('0 1 0 0 0'),
  blue: one('0 0 1 0 0'),
  alpha: one('0 0 0 1 0'),
}

/** A picture with one channel only, in grays. */
export const filterOf = (channel: Channel): string | undefined => (channel === 'all' ? undefined : `url(#channel-${channel})`)

export const ChannelFilters = () => (
  <svg aria-hidden="true" width="0" height="0" className="absolute">
    {Object.entries(MATRICES).map(([channel, matrix]) => (
      <filter key={channel} id={`channel-${channel}`} colorInterpolationFilters="sRGB" x="0" y="0" width="1" height="1">
        <feColorMatrix type="matrix" values={matrix} />
      </filter>
    ))}
  </svg>
)
