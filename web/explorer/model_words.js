// What things are called that depend on how a model keeps its memory: in phases, or in matrices.

const kPhases = {
  memory: "S", zero: "Set S to zero", freeze: "Freeze commits", thaw: "Thaw commits",
  noise: "Turn every phase at random; standard deviation, rad", floor: "Ignore changes smaller than, rad",
  apart: "largest difference of S", unit: "rad", moved: "How far S has moved",
};
const kMatrices = {
  memory: "the state", zero: "Set the state to zero", freeze: "Freeze the state", thaw: "Thaw the state",
  noise: "Disturb every number at random; share of their size", floor: "Close gates smaller than",
  apart: "difference of the state", unit: "of its norm", moved: "How far the state has moved",
};

export const words_of = (model) => (model.has_phases ? kPhases : kMatrices);
