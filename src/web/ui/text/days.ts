/** How long something is kept, in words; null is for good. */
export const forDays = (days: number | null) => (days === null ? 'forever' : days === 1 ? 'for a day' : `for ${days} days`)
