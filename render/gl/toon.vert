#version 330 core
// Vertices arrive deformed, in world space; outlines are pushed out along the normal.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;

#ifdef VERTEX_TINT
layout(location = 3) in vec4 tint;
out vec4 surface_tint;
#endif

uniform mat4 view_projection;
#ifdef IS_OUTLINE
uniform vec4 surface[16];
uniform float projection_scale;   // projection[1][1]
uniform int width_of_screen;      // 1: the width is a share of the picture, 0: metres
#ifdef OUTLINE_MAP
uniform sampler2D outline_map;
#endif
#endif

out vec3 world_position;
out vec3 world_normal;
out vec2 surface_uv;

void main() {
    vec3 place = position;
#ifdef IS_OUTLINE
    float width = surface[7].w;
#ifdef OUTLINE_MAP
    width *= textureLod(outline_map, uv * surface[14].xy + surface[14].zw, 0.0).g;
#endif
    if (width_of_screen == 1) {
        width *= (view_projection * vec4(place, 1.0)).w / projection_scale;
    }
    place += normal * width;
#endif
    world_position = place;
    world_normal = normal;
    surface_uv = uv;
#ifdef VERTEX_TINT
    surface_tint = tint;
#endif
    gl_Position = view_projection * vec4(place, 1.0);
#ifdef IS_OUTLINE
    gl_Position.z += 1e-6 * gl_Position.w;
#endif
}
