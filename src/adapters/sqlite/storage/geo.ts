/** Distances on the Earth, and boxes around circles that are searched first. */
import type { IndexFilter } from "../../../ports/index.ts";

const EARTH_RADIUS_KM = 6371.0088;
const KM_PER_DEGREE = (Math.PI * EARTH_RADIUS_KM) / 180;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Great-circle distance in kilometres (haversine, mean Earth radius). */
export const distanceKm = (lat1: number, lon1: number, lat2: number, lon2: number): number => {
  const half =
    Math.sin(radians(lat2 - lat1) / 2) ** 2 +
    Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * Math.sin(radians(lon2 - lon1) / 2) ** 2;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(Math.min(1, half)));
};

interface Box {
  south: number;
  north: number;
  /** One range, or two where the circle crosses the 180th meridian. */
  longitudes: [west: number, east: number][];
}

/** The box around a circle, a little too large rather than too small; all longitudes when it reaches a pole. */
export const boxAround = (near: NonNullable<IndexFilter["near"]>): Box => {
  const slack = 1e-4;
  const height = near.radiusKm / KM_PER_DEGREE + slack;
  const south = Math.max(-90, near.latitude - height);
  const north = Math.min(90, near.latitude + height);
  const everywhere: Box = { south, north, longitudes: [[-180, 180]] };
  if (south === -90 || north === 90) return everywhere;
  // Widest where the meridians through the circle's tangents lie: asin(sin r / cos latitude).
  const reach =
    Math.sin(Math.min(Math.PI / 2, near.radiusKm / EARTH_RADIUS_KM)) / Math.cos(radians(near.latitude));
  if (!(reach < 1)) return everywhere;
  const width = Math.asin(reach) / (Math.PI / 180) + slack;
  const west = near.longitude - width;
  const east = near.longitude + width;
  if (west < -180)
    return {
      south,
      north,
      longitudes: [
        [-180, east],
        [west + 360, 180],
      ],
    };
  if (east > 180)
    return {
      south,
      north,
      longitudes: [
        [west, 180],
        [-180, east - 360],
      ],
    };
  return { south, north, longitudes: [[west, east]] };
};
